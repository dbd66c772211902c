/// Writes an EXIF block from nothing but entries, without gaps.
struct ExifWriter {
  let order: ByteOrder

  /// An entry with its value's bytes, in the writer's byte order.
  struct Field {
    let tag: Int
    let type: Int
    let count: Int
    let value: [UInt8]
  }

  typealias Fields = [ExifDirectoryKind: [Field]]

  /// Nil where there is nothing to write.
  func block(_ fields: Fields) -> [UInt8]? {
    guard fields.values.contains(where: { !$0.isEmpty }) else { return nil }
    let head = order.mark + order.bytes(42, count: 2) + order.bytes(8, count: 4)
    return head + directories(fields, at: 8)
  }

  /// The first directory, its values, and the directories it leads to.
  ///
  /// `offset`: where all this will stand.
  func directories(_ fields: Fields, at offset: Int) -> [UInt8] {
    var exposure = fields[.exposure] ?? []
    let interoperability = fields[.interoperability] ?? []
    if !interoperability.isEmpty { exposure.append(pointer(ExifNumber.interoperabilityDirectory)) }
    let gps = fields[.gps] ?? []
    var picture = fields[.picture] ?? []
    if !exposure.isEmpty { picture.append(pointer(ExifNumber.exposureDirectory)) }
    if !gps.isEmpty { picture.append(pointer(ExifNumber.gpsDirectory)) }
    // What is led to stands behind what leads to it.
    var targets: [Int: Int] = [:]
    var next = offset + length(picture)
    for (tag, list) in [
      (ExifNumber.exposureDirectory, exposure),
      (ExifNumber.interoperabilityDirectory, interoperability),
      (ExifNumber.gpsDirectory, gps),
    ] where !list.isEmpty {
      targets[tag] = next
      next += length(list)
    }
    var bytes = directory(picture, at: offset, targets)
    for list in [exposure, interoperability, gps] where !list.isEmpty {
      bytes += directory(list, at: offset + bytes.count, targets)
    }
    return bytes
  }

  private func pointer(_ tag: Int) -> Field { Field(tag: tag, type: 4, count: 1, value: []) }

  /// Of a directory with its values.
  private func length(_ fields: [Field]) -> Int {
    ExifBlock.Directory.length(fields.count) + fields.reduce(0) { $0 + outside($1) }
  }

  /// Bytes of a value that stands outside its entry: values begin at even offsets.
  private func outside(_ field: Field) -> Int {
    field.value.count > 4 ? field.value.count + field.value.count % 2 : 0
  }

  private func directory(_ fields: [Field], at offset: Int, _ targets: [Int: Int]) -> [UInt8] {
    let sorted = fields.sorted { $0.tag < $1.tag }
    var bytes = order.bytes(sorted.count, count: 2)
    var values: [UInt8] = []
    let start = offset + ExifBlock.Directory.length(sorted.count)
    for field in sorted {
      bytes += order.bytes(field.tag, count: 2) + order.bytes(field.type, count: 2)
      bytes += order.bytes(field.count, count: 4)
      if let target = targets[field.tag], field.value.isEmpty {
        bytes += order.bytes(target, count: 4)
      } else if outside(field) > 0 {
        bytes += order.bytes(start + values.count, count: 4)
        values += field.value + [UInt8](repeating: 0, count: field.value.count % 2)
      } else {
        bytes += field.value + [UInt8](repeating: 0, count: 4 - field.value.count)
      }
    }
    return bytes + order.bytes(0, count: 4) + values
  }
}

extension ExifBlock {
  /// The entries that are kept, for a new block; nil where their values are more than the block has,
  /// which only overlapping values are.
  func fields(_ isKept: (ExifDirectoryKind, Entry) -> Bool) -> ExifWriter.Fields? {
    var total = 0
    var fields: ExifWriter.Fields = [:]
    for directory in directories where directory.kind != .thumbnail {
      // Of a tag that stands there twice the first counts.
      var seen: Set<Int> = []
      for entry in directory.entries where !ExifNumber.pointers.contains(entry.tag) {
        guard isKept(directory.kind, entry), let value = entry.value,
          seen.insert(entry.tag).inserted
        else { continue }
        total += value.count
        guard total <= bytes.count else { return nil }
        fields[directory.kind, default: []].append(
          .init(tag: entry.tag, type: entry.type, count: entry.count, value: Array(bytes[value]))
        )
      }
    }
    return fields
  }
}
