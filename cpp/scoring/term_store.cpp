#include "scoring/term_store.hpp"

#include <algorithm>

namespace chordlearn {
namespace {

constexpr std::uint64_t kLongestTable = 1 << 16;
constexpr std::size_t kMostTabulated = std::size_t{1} << 25;  // 256 MB
constexpr std::size_t kMostEntries = std::size_t{1} << 18;

}  // namespace

TermStore::TermStore(const ScoreOptions& options, std::uint64_t rows)
    : options_(options),
      function_(options, static_cast<double>(rows), static_cast<double>(MultinomialNml::kExactCells)),
      length_(function_.counts_whole() ? std::min(rows + 1, kLongestTable) : 1) {}

CellTerms TermStore::terms(double cells, double work) const {
    const double constant = function_.constant(cells);
    const CellTerms computed{nullptr, 0, cells, constant, &function_, function_.start(cells)};
    const double key = function_.term_depends_on_cells() ? cells : 1.0;
    const std::lock_guard lock(guard_);
    if (entries_.size() >= kMostEntries && !entries_.contains(key)) return computed;
    Entry& entry = entries_[key];
    if (entry.table.empty()) {
        entry.work += work;
        const bool pays = entry.work >= static_cast<double>(length_);
        if (!pays || tabulated_ + length_ > kMostTabulated) return computed;
        tabulated_ += length_;
        entry.table.resize(length_);
        for (std::uint64_t c = 0; c < length_; ++c) entry.table[c] = function_.term(static_cast<double>(c), cells);
    }
    return {entry.table.data(), length_, cells, constant, &function_, function_.start(cells)};
}

}  // namespace chordlearn
