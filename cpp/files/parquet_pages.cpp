#include "files/parquet_pages.hpp"

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace chordlearn {

namespace {

using Bytes = std::span<const std::uint8_t>;

struct Damaged : std::runtime_error {
    Damaged() : std::runtime_error("damaged") {}
};

// The kinds of values in Thrift's compact protocol.
enum Kind {
    END = 0,
    TRUE = 1,
    FALSE = 2,
    BYTE = 3,
    I16 = 4,
    I64 = 6,
    DOUBLE = 7,
    BINARY = 8,
    LIST = 9,
    SET = 10,
    STRUCT = 12
};

constexpr int kDeepest = 100;
constexpr std::size_t kFooterEnd = 8;  // its length in four bytes, and the magic bytes

// Reads structures of Thrift's compact protocol, as https://parquet.apache.org lists them.
class Compact {
public:
    Compact(Bytes file, std::uint64_t place) : file_(file), place_(place) {}

    std::uint64_t place() const { return place_; }

    // Calls `field(number, kind)` for each field of a structure; it reads the field and returns true, or returns false.
    template <typename Field>
    void structure(Field field) {
        if (++depth_ > kDeepest) throw Damaged();
        std::int64_t number = 0;
        while (const std::uint8_t head = byte()) {
            number = head >> 4 ? number + (head >> 4) : integer();
            const int kind = head & 15;
            if (!field(number, kind)) skip(kind);
        }
        --depth_;
    }

    // Calls `element(kind)` for each element of a list, which reads it.
    template <typename Element>
    void list(Element element) {
        const std::uint8_t head = byte();
        const std::uint64_t size = head >> 4 < 15 ? head >> 4 : natural();
        for (std::uint64_t i = 0; i < size; ++i) element(head & 15);
    }

    std::int64_t integer() {
        const std::uint64_t value = natural();
        return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
    }

    void skip(int kind) {
        if (kind >= I16 && kind <= I64) {
            natural();
        } else if (kind == BYTE) {
            pass(1);
        } else if (kind == DOUBLE) {
            pass(8);
        } else if (kind == BINARY) {
            pass(natural());
        } else if (kind == LIST || kind == SET) {
            // In a list, unlike in a structure, a truth value takes a byte.
            list([&](int each) { each == TRUE || each == FALSE ? pass(1) : skip(each); });
        } else if (kind == STRUCT) {
            structure([](std::int64_t, int) { return false; });
        } else if (kind != TRUE && kind != FALSE) {
            throw Damaged();
        }
    }

private:
    Bytes file_;
    std::uint64_t place_;
    int depth_ = 0;

    std::uint8_t byte() {
        if (place_ >= file_.size()) throw Damaged();
        return file_[place_++];
    }

    void pass(std::uint64_t size) {
        if (place_ > file_.size() || size > file_.size() - place_) throw Damaged();
        place_ += size;
    }

    std::uint64_t natural() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const std::uint64_t part = byte();
            value |= (part & 127) << shift;
            if (part < 128) return value;
        }
        throw Damaged();
    }
};

bool is_integer(int kind) { return kind >= I16 && kind <= I64; }

struct Column {
    std::int64_t values = -1;
    std::int64_t data_pages = 0;
    std::int64_t dictionary = 0;

    std::int64_t start() const { return dictionary > 0 && dictionary < data_pages ? dictionary : data_pages; }
};

Column read_column(Compact& reader) {
    Column column;
    reader.structure([&](std::int64_t chunk_field, int chunk_kind) {
        if (chunk_field != 3 || chunk_kind != STRUCT) return false;
        reader.structure([&](std::int64_t field, int kind) {
            if (!is_integer(kind)) return false;
            std::int64_t& number = field == 5 ? column.values : field == 9 ? column.data_pages : column.dictionary;
            if (field != 5 && field != 9 && field != 11) return false;
            number = reader.integer();
            return true;
        });
        return true;
    });
    return column;
}

std::vector<Column> read_footer(Bytes file) {
    if (file.size() < kFooterEnd) throw Damaged();
    const std::size_t end = file.size() - kFooterEnd;
    std::uint64_t length = 0;
    for (int i = 3; i >= 0; --i) length = length << 8 | file[end + i];
    if (length > end) throw Damaged();
    std::vector<Column> columns;
    Compact reader(file, end - length);
    reader.structure([&](std::int64_t field, int kind) {
        if (field != 4 || kind != LIST) return false;
        reader.list([&](int group_kind) {
            if (group_kind != STRUCT) throw Damaged();
            reader.structure([&](std::int64_t group_field, int list_kind) {
                if (group_field != 1 || list_kind != LIST) return false;
                reader.list([&](int column_kind) {
                    if (column_kind != STRUCT) throw Damaged();
                    columns.push_back(read_column(reader));
                });
                return true;
            });
        });
        return true;
    });
    return columns;
}

struct Page {
    std::int64_t bytes = -1;
    std::int64_t values = 0;
};

// Reads the header of a page, in which no number is negative.
Page read_page(Compact& reader) {
    Page page;
    reader.structure([&](std::int64_t field, int kind) {
        if ((field == 2 || field == 3) && is_integer(kind)) {
            const std::int64_t bytes = reader.integer();
            if (bytes < 0) throw Damaged();
            if (field == 3) page.bytes = bytes;
            return true;
        }
        // The header of a data page, of a dictionary, or of a data page of the second version.
        if ((field != 5 && field != 7 && field != 8) || kind != STRUCT) return false;
        reader.structure([&](std::int64_t own_field, int own_kind) {
            if (!is_integer(own_kind)) return false;
            const std::int64_t number = reader.integer();
            if (number < 0) throw Damaged();
            if (own_field == 1 && field != 7) page.values = number;
            return true;
        });
        return true;
    });
    if (page.bytes < 0) throw Damaged();
    return page;
}

bool holds_its_values(Bytes file, const Column& column) {
    if (column.values < 0 || column.start() < 0) return false;
    std::int64_t left = column.values;
    std::uint64_t place = static_cast<std::uint64_t>(column.start());
    while (left > 0) {
        Compact reader(file, place);
        const Page page = read_page(reader);
        if (page.values > left) return false;
        left -= page.values;
        place = reader.place() + static_cast<std::uint64_t>(page.bytes);
    }
    return true;
}

}  // namespace

bool pages_are_sound(Bytes file) {
    try {
        for (const Column& column : read_footer(file))
            if (!holds_its_values(file, column)) return false;
        return true;
    } catch (const Damaged&) {
        return false;
    }
}

}  // namespace chordlearn
