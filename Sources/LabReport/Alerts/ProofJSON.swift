import LabModel

extension JSONValue {
  /// A proof, as findings and exports show it; null for none.
  init(_ proof: Proof?) {
    guard let proof else {
      self = .null
      return
    }
    self = [
      "run": .string(proof.run),
      "baseline": .string(proof.baseline),
      "candidate": .string(proof.candidate),
      "good": .string(proof.good),
      "bad": .string(proof.bad),
      "scope": .string(proof.scope.rawValue),
      "pairs": JSONValue(proof.pairs),
      "ratio": .number(proof.ratio),
      "low": JSONValue(proof.low),
      "high": JSONValue(proof.high),
      "confidence": .number(proof.confidence),
      "effect_limit": .number(proof.effectLimit),
      "verdict": .string(proof.verdict.rawValue),
      "smallest_detectable": JSONValue(proof.smallestDetectable),
    ]
  }
}
