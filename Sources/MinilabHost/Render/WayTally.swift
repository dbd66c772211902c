import MinilabKit

/// Adds up what a way to pixels takes, output after output, in the order in which they are made.
struct WayTally {
  /// How much may still be held for several outputs, in bytes.
  private var room: Int
  /// What is held for several outputs.
  private(set) var shared = 0
  /// What the output in work holds.
  private(set) var own = 0
  private(set) var peak = 0
  private(set) var cost = 0.0
  /// What some decoder holds for certain, in bytes: with less there will be no picture.
  private(set) var least = 0
  /// How often each of the unit's pictures is decoded.
  private(set) var decodes: [Int: Int] = [:]
  /// On the way to the output in work.
  private(set) var steps: [WayStep] = []
  /// What outputs would hold while they are encoded beside others.
  private var beside: [Int] = []
  private var holders: Set<ObjectIdentifier> = []

  init(room: Int) {
    self.room = room
  }

  /// For a picture that the one in work is made of: what is held now it finds held, and it holds nothing for others.
  init(within other: WayTally) {
    room = 0
    holders = other.holders
  }

  /// `lettingGo`: the pixels are held now, in so many of the step's bytes, and nothing is left of what they
  /// were made of.
  mutating func add(_ step: WayStep, cost: Double = 0, lettingGo held: Int? = nil) {
    steps.append(step)
    own += step.bytes
    self.cost += cost
    peak = max(peak, shared + own)
    if let held { own = held }
  }

  /// `bytes`: what a decoder holds for certain.
  mutating func hold(surely bytes: Int) { least = max(least, bytes) }

  /// What was told since the cost was so much is done several times.
  mutating func repeatCost(since before: Double, times: Double) {
    cost = before + (cost - before) * times
  }

  /// Takes over how the pictures are made that another one is made of: what they cost, and their steps, each way once.
  mutating func take(_ ways: [WayTally]) {
    var told: [(steps: [WayStep], count: Int)] = []
    for way in ways {
      cost += way.cost
      least = max(least, way.least)
      decodes.merge(way.decodes, uniquingKeysWith: +)
      if let place = told.firstIndex(where: { $0.steps == way.steps }) {
        told[place].count += 1
      } else {
        told.append((way.steps, 1))
      }
    }
    for (own, count) in told {
      steps += own.map { step in
        var step = step
        if count > 1 { step.count = count * (step.count ?? 1) }
        return step
      }
    }
  }

  mutating func decoded(_ picture: Int) { decodes[picture, default: 0] += 1 }

  func isHeld(by holder: AnyObject) -> Bool { holders.contains(ObjectIdentifier(holder)) }

  /// Pixels are held for others, if there is room; what was needed to make them is then let go.
  mutating func hold(_ facts: RasterFacts, by holder: AnyObject, since before: Int) {
    let bytes = facts.byteCount(facts.size)
    guard bytes <= room else { return }
    room -= bytes
    peak = max(peak, shared + own + bytes)
    own = before
    shared += bytes
    holders.insert(ObjectIdentifier(holder))
    steps.append(WayStep(kind: .hold, to: Dimensions(facts.size), bytes: bytes))
  }

  /// Nothing is left of what has come since so much was held.
  mutating func letGo(to before: Int) { own = before }

  /// The pixels of the output in work are computed, in so many bytes, and nothing is left of what they were
  /// made of.
  mutating func holdPicture(_ bytes: Int) {
    peak = max(peak, shared + own + bytes)
    own = 0
  }

  /// The output in work may be encoded while others are made.
  mutating func setAside(_ bytes: Int) { beside.append(bytes) }

  /// The sum of what the so many largest of these hold.
  func largest(_ count: Int) -> Int { beside.sorted(by: >).prefix(count).reduce(0, +) }

  /// The output is done.
  mutating func end() -> [WayStep] {
    defer {
      own = 0
      steps = []
    }
    return steps
  }
}
