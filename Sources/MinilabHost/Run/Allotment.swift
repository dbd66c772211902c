/// Shares memory and cores among the units in work.
struct Allotment {
  /// What they may hold together; nil: as much as they like.
  private let budget: MemoryBudget?
  /// Shared by all their pipelines.
  private let cores: Int
  private let workers: [WorkerProcess]
  /// The most workers at a time.
  private let jobs: Int

  init(_ configuration: Coordinator.Configuration, _ crew: Crew) {
    budget = configuration.budget
    cores = configuration.cores
    workers = crew.workers
    jobs = crew.most
  }

  /// Units in work stay within the memory that they may hold together; one that is larger than that is
  /// alone.
  func fits(_ estimate: Estimate, _ worker: WorkerProcess) -> Bool {
    guard let budget else { return true }
    let others = workers.reduce(0) { $0 + ($1 === worker ? 0 : $1.load) }
    if others == 0, worker.load == 0 { return true }
    return max(worker.load, estimate.memory) <= budget.bytes - others
  }

  /// The work with what it may take.
  ///
  /// `remaining`: how many messages are left to hand out after this one.
  func granted(_ work: Work, _ worker: WorkerProcess, remaining: Int) -> Work {
    guard case .unit(var unit) = work, let estimate = unit.estimate else { return work }
    let busy = workers.filter { $0 !== worker && !$0.isIdle }
    var atOnce = min(jobs, busy.count + 1 + remaining)
    var memory: Int?
    if let budget, estimate.memory > 0 {
      atOnce = min(atOnce, max(busy.count + 1, budget.bytes / estimate.memory))
      let isAlone = busy.isEmpty && remaining == 0 && worker.isIdle
      let isOver = estimate.memory > budget.bytes
      memory = isAlone || isOver || unit.isEstimateExact ? nil : estimate.memory
    }
    // Few units share the cores among them, and many have one each.
    let free = cores - busy.reduce(0) { $0 + $1.threads }
    unit.grant = Grant(
      threads: max(1, min(cores / max(1, atOnce), free)),
      memory: memory
    )
    return .unit(unit)
  }
}
