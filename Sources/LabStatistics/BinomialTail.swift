/// The probability of at least `least` successes in `count` independent trials.
///
/// It is the regularised incomplete beta function I_p(least, count − least + 1). The probability of
/// one success lies between 0 and 1, both excluded, and `least` from 1 to `count`.
///
/// Source: DLMF 8.17.5. Takes about √`count` steps.
func binomialTail(count: Int, probability: Double, atLeast least: Int) -> Double {
  incompleteBeta(
    probability,
    complement: 1 - probability,
    Double(least),
    Double(count - least + 1)
  )
}
