import MinilabKit

extension Head {
  /// HEIF or AVIF by the brands of the first box (ISO/IEC 14496-12, `ftyp`): the major brand
  /// decides, the compatible ones where it names only the container.
  ///
  /// Films have other brands.
  var brandedFormat: PictureFormat? {
    guard has("ftyp", at: 4), let size = big32(at: 0), size >= 16, size % 4 == 0 else { return nil }
    let compatible = stride(from: 16, to: min(size, bytes.count - 3), by: 4).map(brand(at:))
    let major = brand(at: 8)
    if let format = coded[major] { return format }
    if let format = compatible.lazy.compactMap({ coded[$0] }).first { return format }
    return ([major] + compatible).contains(where: containers.contains) ? .heif : nil
  }

  private func brand(at offset: Int) -> String {
    String(decoding: bytes.dropFirst(offset).prefix(4), as: UTF8.self)
  }
}

/// Brands that name the coding of the pictures.
private let coded: [String: PictureFormat] = [
  "avif": .avif, "avis": .avif,
  "heic": .heif, "heix": .heif, "heim": .heif, "heis": .heif,
  "hevc": .heif, "hevx": .heif, "hevm": .heif, "hevs": .heif,
]

/// Brands of the picture container whatever the coding.
private let containers: Set<String> = ["mif1", "mif2", "msf1"]
