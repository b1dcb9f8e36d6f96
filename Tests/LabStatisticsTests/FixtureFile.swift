import Foundation

/// Reads a JSON file that `Fixtures/make_fixtures.py` wrote.
func fixture<Value: Decodable>(
  _ name: String,
  as type: [Value].Type = [Value].self
) throws
  -> [Value]
{
  let file = Bundle.module.bundleURL.appending(components: "Fixtures", "\(name).json")
  return try JSONDecoder().decode(type, from: Data(contentsOf: file))
}

/// Whether two numbers agree to a share of the larger one.
func agree(_ left: Double, _ right: Double, within tolerance: Double = 1e-12) -> Bool {
  abs(left - right) <= tolerance * max(abs(left), abs(right))
}
