import Glibc
import MinilabKit
import NaivePictures
import Testing
import Vips

@testable import MinilabHost

/// Sixteen by sixteen pixels of one color.
func flatPatch(_ color: [Double]) -> NaivePicture {
  NaivePicture(width: 16, height: 16, bands: color.count) { _, _, band in color[band] }
}

/// IEC 61966-2-1, from light of 0 to 1 to levels of 0 to 255, clipped.
func srgbLevel(_ light: Double) -> Double {
  let light = min(1, max(0, light))
  return 255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055)
}

/// IEC 61966-2-1, from levels of 0 to 255 to light of 0 to 1.
func srgbLight(_ level: Double) -> Double {
  let level = level / 255
  return level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4)
}

/// CIE XYZ relative to D50 from Lab (CIE 15:2004, 8.2.1).
func xyz(ofLab lab: [Double]) -> [Double] {
  let fy = (lab[0] + 16) / 116
  return zip([fy + lab[1] / 500, fy, fy - lab[2] / 200], [0.9642, 1, 0.8249]).map { f, white in
    (f > 6.0 / 29 ? f * f * f : 3 * 36.0 / 841 * (f - 4.0 / 29)) * white
  }
}

/// Every sample of the middle pixel is as near as that.
func expectPatch(
  _ made: NaivePicture,
  _ wanted: [Double],
  within levels: Double,
  _ words: String = "",
  _ location: SourceLocation = #_sourceLocation
) {
  let pixel = made.pixel(made.width / 2, made.height / 2)
  let difference = zip(pixel, wanted).map { abs($0 - $1) }.max() ?? .infinity
  #expect(
    pixel.count == wanted.count && difference <= levels,
    "\(pixel), wanted \(wanted) \(words)",
    sourceLocation: location
  )
}
