import Foundation
import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite struct AlertTests {
  @Test func `gives back an alert with every field`() throws {
    let store = try Store.inMemory()
    try store.save([Sample.alert()])
    #expect(try store.alert(1) == Sample.alert())
    #expect(try store.alerts(scenario: "redis") == [Sample.alert()])
    #expect(try store.alerts(scenario: "nginx").isEmpty)
  }

  @Test func `gives back an alert without a proof and a last good night`() throws {
    let store = try Store.inMemory()
    var alert = Sample.alert(7, events: 1)
    alert.proof = nil
    alert.lastGood = nil
    try store.save([alert])
    #expect(try store.alert(7) == alert)
  }

  @Test func `keeps why an alert is slower, whatever happens to the alert`() throws {
    let store = try Store.inMemory()
    try store.save([Sample.alert(events: 1), Sample.alert(2)])
    let documents = ExplanationDocuments(json: "{}", flameGraph: "<svg/>")
    try store.explain(alert: 1, by: Sample.explanation, documents)
    try store.save([Sample.alert(events: 2)])
    var alert = Sample.alert(events: 2)
    alert.explanation = Sample.explanation
    #expect(try store.alerts(scenario: "redis") == [alert, Sample.alert(2)])
    #expect(try store.alert(1) == alert)
    #expect(try store.explanationDocuments(ofAlert: 1) == documents)
    #expect(try store.explanationDocuments(ofAlert: 2) == nil)

    alert.explanation?.why = "main (code changed): +1 ms"
    let found = try #require(alert.explanation)
    try store.explain(alert: 1, by: found, documents)
    #expect(try store.alert(1) == alert)
    #expect(throws: StoreError.self) { try store.explain(alert: 3, by: found, documents) }
  }

  @Test func `adds new events to the stored ones`() throws {
    let store = try Store.inMemory()
    try store.save([Sample.alert(events: 1)])
    try store.save([Sample.alert(events: 2)])
    #expect(try store.alert(1) == Sample.alert(events: 2))
  }

  @Test func `never changes what happened`() throws {
    let store = try Store.inMemory()
    try store.save([Sample.alert()])
    var changed = Sample.alert()
    changed.events[0].reason = "another one"
    var byOther = Sample.alert()
    byOther.events[1].person = "bob"
    for alert in [changed, byOther, Sample.alert(events: 1)] {
      #expect(throws: StoreError.changedAlert(number: 1)) {
        try store.save([Sample.alert(2), alert])
      }
    }
    #expect(try store.alerts(scenario: "redis") == [Sample.alert()])
  }

  @Test func `refuses the number of an alert of another series`() throws {
    let store = try Store.inMemory()
    try store.save([Sample.alert()])
    var other = Sample.alert()
    other.series.metric = .peakRSS
    #expect(throws: StoreError.changedAlert(number: 1)) { try store.save([other]) }
  }

  @Test func `numbers alerts over all scenarios`() throws {
    let store = try Store.inMemory()
    #expect(try store.nextAlertNumber() == 1)
    var other = Sample.alert(16)
    other.series.scenario = "nginx"
    try store.save([Sample.alert(3), other])
    #expect(try store.nextAlertNumber() == 17)
  }

  @Test func `does not know an alert that is not stored`() throws {
    let store = try Store.inMemory()
    #expect(throws: StoreError.unknownAlert(number: 4)) { try store.alert(4) }
  }

  @Test func `keeps alerts when their runs are removed`() throws {
    let store = try Store.inMemory()
    _ = try store.begin(Sample.run())
    try store.save([Sample.alert()])
    try store.execute("DELETE FROM run")
    #expect(try store.alert(1) == Sample.alert())
  }

  @Test func `gives back every attempt of a delivery in order`() throws {
    let store = try Store.inMemory()
    try store.save([Sample.alert(2), Sample.alert(1)])
    let failed = Delivery(
      alert: 1,
      event: 1,
      notifier: "email a@example.org",
      at: Sample.start,
      failure: "sendmail is missing"
    )
    var done = failed
    done.failure = nil
    var first = done
    first.event = 0
    var second = done
    second.alert = 2
    for delivery in [second, failed, done, first] { try store.save(delivery) }
    #expect(try store.deliveries(scenario: "redis") == [first, failed, done, second])
    #expect(try store.deliveries(scenario: "nginx").isEmpty)
  }

  @Test func `refuses a delivery of an event that is not stored`() throws {
    let store = try Store.inMemory()
    try store.save([Sample.alert(events: 1)])
    let delivery = Delivery(alert: 1, event: 1, notifier: "command", at: Sample.start)
    #expect(throws: StoreError.self) { try store.save(delivery) }
  }
}
