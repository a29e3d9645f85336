//! What the results were measured on.

use std::fs;

/// The header of the results, each a name and a value.
#[must_use]
pub fn describe() -> Vec<(&'static str, String)> {
    let cores = crate::cores::Cores::of_process().count();
    let read = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned());
    let unknown = |text: std::io::Result<String>| text.unwrap_or_else(|_| "unknown".into());
    vec![
        ("CPU", cpu_model().unwrap_or_else(|| "unknown".into())),
        ("cores of the process", cores.to_string()),
        ("kernel", unknown(read("/proc/sys/kernel/osrelease"))),
        ("clock source", unknown(read(CLOCKSOURCE))),
        ("transparent huge pages", unknown(read("/sys/kernel/mm/transparent_hugepage/enabled"))),
    ]
}

const CLOCKSOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

fn cpu_model() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let of = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        line.split_once(':').map(|(_, value)| value.trim().to_owned())
    };
    let numbers = || Some(format!("family {}, model {}", of("cpu family")?, of("model\t")?));
    Some(format!("{} ({})", of("model name")?, numbers().unwrap_or_default()))
}

/// The most memory that this process ever had, bytes.
#[must_use]
pub fn peak_memory_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_a_value_for_every_name() {
        assert!(describe().iter().all(|(_, value)| !value.is_empty()));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_has_used_some_memory() {
        assert!(peak_memory_bytes().unwrap() > 1 << 20);
    }
}
