//! The two things that safe Rust cannot say to the hardware: huge pages and prefetch.
//!
//! Both are hints: neither changes what a program computes.

use std::mem::{MaybeUninit, size_of};

/// Allocates `len` copies of `value` on huge pages where the kernel has them, every page touched.
///
/// The advice comes before the first touch, which is when the kernel chooses the page size. With
/// 4 KiB pages the books of a real day miss the TLB on nearly every order.
#[must_use]
pub(super) fn huge_vec<T: Copy>(len: usize, value: T) -> Vec<T> {
    let mut vec = Vec::with_capacity(len);
    advise_huge_pages(vec.spare_capacity_mut());
    vec.resize(len, value);
    vec
}

#[cfg(target_os = "linux")]
fn advise_huge_pages<T>(memory: &mut [MaybeUninit<T>]) {
    const HUGE_PAGE_BYTES: usize = 2 << 20;
    const PAGE_BYTES: usize = 4096;
    let len_bytes = memory.len() * size_of::<T>();
    if len_bytes < HUGE_PAGE_BYTES {
        return;
    }
    let start = memory.as_mut_ptr().cast::<u8>();
    let skipped = start.align_offset(PAGE_BYTES);
    let advised_bytes = (len_bytes - skipped) / PAGE_BYTES * PAGE_BYTES;
    // SAFETY: the range [start + skipped, + advised_bytes) lies inside `memory`, whole pages only.
    // MADV_HUGEPAGE changes no content; a refusal only leaves the pages small.
    unsafe {
        libc::madvise(start.add(skipped).cast(), advised_bytes, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages<T>(_memory: &mut [MaybeUninit<T>]) {}

/// Asks for the cache line of `value` ahead of its use.
#[inline(always)]
pub(super) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: PREFETCHT0 accepts any address; this one is valid anyway.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_vector_holds_what_it_was_filled_with() {
        for len in [0, 1, 1000, 3 << 20] {
            let vec = huge_vec(len, 7_u32);
            assert!(vec.len() == len && vec.iter().all(|&value| value == 7), "{len}");
        }
    }
}
