#pragma once

#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

// Arrays given by Python, which are only read, and arrays made for it. Their types say in the stub what they hold.

template <class Value>
using GivenArray = nanobind::ndarray<const Value, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <class Value>
using Array = nanobind::ndarray<nanobind::numpy, Value, nanobind::ndim<1>>;

template <class Value>
Array<Value> to_array(std::unique_ptr<Value[]> values, std::size_t size) {
    nanobind::capsule owner(values.get(), [](void* data) noexcept { delete[] static_cast<Value*>(data); });
    return Array<Value>(values.release(), {size}, owner);
}

template <class Value, class Source>
Array<Value> to_array(const std::vector<Source>& list) {
    std::unique_ptr<Value[]> values(new Value[list.size()]);
    for (std::size_t i = 0; i < list.size(); ++i) values[i] = static_cast<Value>(list[i]);
    return to_array(std::move(values), list.size());
}
