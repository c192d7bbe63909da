// Drives a fuzz target without libFuzzer: random bytes, or the files that are named.
//     fuzz_engine SECONDS SEED     cases until the time is over
//     fuzz_engine FILE ...         these cases
// The case in hand is kept in a file and taken away when it has passed, so that one that ends the process is left.

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "common/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::uint32_t kLongest = 600;

std::optional<std::uint64_t> number_of(const char* text) {
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text, text + std::strlen(text), number);
    return failure == std::errc{} && *end == 0 ? std::optional(number) : std::nullopt;
}

// Bytes at random, in a third of the cases mostly small ones.
std::vector<std::uint8_t> random_case(std::uint64_t seed) {
    chordlearn::Random random(seed);
    std::vector<std::uint8_t> bytes(random.below(kLongest));
    const bool small = random.below(3) == 0;
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.below(small && random.below(4) ? 9 : 256));
    return bytes;
}

void keep(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

int run_for(std::uint64_t seconds, std::uint64_t seed, const std::string& name) {
    using Clock = std::chrono::steady_clock;
    const std::filesystem::path path = name + ".case";
    const auto begin = Clock::now(), end = begin + std::chrono::seconds(seconds);
    std::uint64_t cases = 0;
    while (Clock::now() < end) {
        const auto bytes = random_case(chordlearn::Random(seed).bits() + cases);
        keep(path, bytes);
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
        ++cases;
    }
    std::filesystem::remove(path);
    std::printf("%s: %llu cases in %llu s, seed %llu\n", name.c_str(), static_cast<unsigned long long>(cases),
                static_cast<unsigned long long>(seconds), static_cast<unsigned long long>(seed));
    return cases > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string name = std::filesystem::path(arguments[0]).filename().string();
    if (count == 3 && number_of(arguments[1]) && number_of(arguments[2]))
        return run_for(*number_of(arguments[1]), *number_of(arguments[2]), name);
    for (int k = 1; k < count; ++k) {
        std::ifstream file(arguments[k], std::ios::binary);
        if (!file) {
            std::fprintf(stderr, "%s cannot be read\n", arguments[k]);
            return 2;
        }
        const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    if (count == 1) std::fprintf(stderr, "%s SECONDS SEED, or %s FILE ...\n", name.c_str(), name.c_str());
    return count == 1 ? 2 : 0;
}
