import MinilabKit

/// What hands out the units of a plan.
protocol PlanHolder {
  var plan: Plan { get }
}

/// A plan of millions that still learns, without a second copy of it.
final class SharedPlan: UnitSource, PlanHolder {
  var plan: Plan

  init(_ plan: Plan) {
    self.plan = plan
  }

  var count: Int { plan.count }
  var averageLength: Int { plan.averageLength }
  func isOpen(at index: Int) -> Bool { plan.fate(at: index) == nil }
  func unit(at index: Int) -> UnitRequest? { plan.unit(at: index) }
  func file(at index: Int) -> FileHint? { plan.file(at: index) }
  func probe(at index: Int) -> ProbeRequest? { plan.probe(at: index) }
}
