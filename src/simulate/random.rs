//! Numbers that look random and are the same for the same seed, on every machine.

/// A generator (`SplitMix64`).
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any 64 bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 up to `end`, not included; 0 when `end` is 0.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        u64::try_from((u128::from(self.bits()) * u128::from(end)) >> 64).unwrap_or(0)
    }

    /// From `first` up to `last`, both included.
    pub(super) fn between(&mut self, first: i64, last: i64) -> i64 {
        let width = last.saturating_sub(first).max(0).unsigned_abs() + 1;
        first.saturating_add_unsigned(self.below(width))
    }

    /// True in this share of cases.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are kept")]
    pub(super) fn chance(&mut self, share: f64) -> bool {
        ((self.bits() >> 11) as f64) < share * (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_published_algorithm() {
        let mut random = Random::new(0);
        assert_eq!(random.bits(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(random.bits(), 0x6e78_9e6a_a1b9_65f4);
        let mut random = Random::new(7);
        assert!((0..1000).all(|_| (3..=5).contains(&random.between(3, 5))));
        assert!((0..100).all(|_| random.chance(1.0) && !random.chance(0.0)));
    }
}
