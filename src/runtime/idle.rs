//! What a thread does when a whole turn over its agents did nothing.

use std::time::Duration;

use freshlane_quote::IdlePolicy;

/// Turns that `yield` and `backoff` spin first: some microseconds, the time in which a busy feed's
/// next packet is likely to come.
const SPIN_TURNS: u32 = 200;
/// Turns that `backoff` then yields.
const YIELD_TURNS: u32 = 50;
/// The first sleep of `backoff`. The kernel adds about 50 µs to any.
const SLEEP_FIRST: Duration = Duration::from_micros(1);
/// The longest sleep of `backoff` and the only one of `park`.
const SLEEP_MAX: Duration = Duration::from_millis(1);

/// Carries out an [`IdlePolicy`] on one thread.
#[derive(Debug)]
pub struct Idle {
    policy: IdlePolicy,
    /// Turns in a row that did nothing.
    idle_turns: u32,
}

/// One step of a policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Spin,
    Yield,
    Sleep(Duration),
}

impl Idle {
    /// Idles by `policy`.
    #[must_use]
    pub fn new(policy: IdlePolicy) -> Self {
        Self { policy, idle_turns: 0 }
    }

    /// To be called after each turn with its work count: rests when that is 0.
    #[inline]
    pub fn after_turn(&mut self, work_count: usize) {
        if work_count > 0 {
            self.idle_turns = 0;
        } else {
            rest(self.next_step());
        }
    }

    /// Starts over, as after a turn that did something.
    pub fn reset(&mut self) {
        self.idle_turns = 0;
    }

    fn next_step(&mut self) -> Step {
        let turns = self.idle_turns;
        self.idle_turns = turns.saturating_add(1);
        match self.policy {
            IdlePolicy::Spin => Step::Spin,
            IdlePolicy::Park => Step::Sleep(SLEEP_MAX),
            IdlePolicy::Yield | IdlePolicy::Backoff if turns < SPIN_TURNS => Step::Spin,
            IdlePolicy::Yield => Step::Yield,
            IdlePolicy::Backoff if turns < SPIN_TURNS + YIELD_TURNS => Step::Yield,
            IdlePolicy::Backoff => Step::Sleep(growing_sleep(turns - SPIN_TURNS - YIELD_TURNS)),
        }
    }
}

/// Doubled with every sleep.
fn growing_sleep(sleeps: u32) -> Duration {
    SLEEP_FIRST.saturating_mul(2_u32.saturating_pow(sleeps)).min(SLEEP_MAX)
}

#[allow(clippy::disallowed_methods, reason = "this is the idle module, and a policy asks for it")]
fn rest(step: Step) {
    match step {
        Step::Spin => std::hint::spin_loop(),
        Step::Yield => std::thread::yield_now(),
        Step::Sleep(duration) => std::thread::sleep(duration),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(policy: IdlePolicy, count: usize) -> Vec<Step> {
        let mut idle = Idle::new(policy);
        (0..count).map(|_| idle.next_step()).collect()
    }

    #[test]
    fn spin_only_spins_and_park_sleeps_at_once() {
        assert!(steps(IdlePolicy::Spin, 100_000).iter().all(|step| *step == Step::Spin));
        assert_eq!(steps(IdlePolicy::Park, 2), [Step::Sleep(SLEEP_MAX); 2]);
    }

    #[test]
    fn yield_spins_first() {
        let steps = steps(IdlePolicy::Yield, 1_000);
        assert_eq!((steps[199], steps[200], steps[999]), (Step::Spin, Step::Yield, Step::Yield));
    }

    #[test]
    fn backoff_spins_then_yields_then_sleeps_longer_and_longer() {
        let steps = steps(IdlePolicy::Backoff, 400);
        assert_eq!((steps[199], steps[200], steps[249]), (Step::Spin, Step::Yield, Step::Yield));
        let sleeps: Vec<_> = steps[250..].to_vec();
        let micros = |us| Step::Sleep(Duration::from_micros(us));
        assert_eq!(sleeps[..4], [micros(1), micros(2), micros(4), micros(8)]);
        assert_eq!(
            (sleeps[9], sleeps[10], sleeps[149]),
            (micros(512), micros(1_000), micros(1_000))
        );
    }

    #[test]
    fn work_starts_a_policy_over() {
        let mut idle = Idle::new(IdlePolicy::Backoff);
        idle.idle_turns = 300;
        idle.after_turn(1);
        assert_eq!(idle.next_step(), Step::Spin);
        idle.idle_turns = u32::MAX;
        assert_eq!(idle.next_step(), Step::Sleep(SLEEP_MAX));
        idle.reset();
        assert_eq!(idle.next_step(), Step::Spin);
    }
}
