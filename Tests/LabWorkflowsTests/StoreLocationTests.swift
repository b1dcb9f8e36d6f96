import Foundation
import LabTestSupport
import Testing

@testable import LaunchStore
@testable import Measuring

@Suite struct StoreLocationTests {
  @Test func `keeps the store beside the scenario, unless another is named`() {
    #expect(StoreLocation.path(nil, beside: "/lab") == "/lab/.launchlab/launchlab.sqlite")
    #expect(StoreLocation.path("/var/x.sqlite", beside: "/lab") == "/var/x.sqlite")
  }

  @Test func `finds the stores of a directory and right below it`() throws {
    try withTemporaryDirectory { top in
      for place in ["", "/Scenarios", "/Scenarios/deeper"] {
        _ = try Store(path: "\(top)\(place)/.launchlab/launchlab.sqlite", mode: .readWrite)
      }

      let found = try StoreLocation.stores(nil, from: top)

      #expect(
        found.map(\.path) == [
          "\(top)/.launchlab/launchlab.sqlite", "\(top)/Scenarios/.launchlab/launchlab.sqlite",
        ]
      )
    }
  }

  @Test func `says where it looked when nothing is stored`() throws {
    try withTemporaryDirectory { top in
      let path = "\(top)/.launchlab/launchlab.sqlite"
      #expect(throws: WorkflowError.nothingStored(store: path)) {
        try StoreLocation.stores(nil, from: top)
      }
    }
  }
}
