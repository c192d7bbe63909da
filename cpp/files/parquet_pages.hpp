#pragma once

#include <cstdint>
#include <span>

namespace chordlearn {

// Whether every column of a Parquet file has pages that hold as many values as the footer says. A page that
// claims fewer than none makes polars ask for more memory than there is, which ends the process; whatever
// else can be wrong with pages raises an error there.
bool pages_are_sound(std::span<const std::uint8_t> file);

}  // namespace chordlearn
