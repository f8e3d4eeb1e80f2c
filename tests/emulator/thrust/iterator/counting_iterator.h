/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Counts from a first value on. */
#ifndef TRAWL_EMULATOR_COUNTING_ITERATOR_H
#define TRAWL_EMULATOR_COUNTING_ITERATOR_H

#include <cstddef>
#include <iterator>

namespace thrust {

template <class T> struct counting_iterator {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T *;
    using reference = T;

    T first;
    explicit counting_iterator(T value = T()) : first(value) {
    }
    T operator*() const {
        return first;
    }
    T operator[](difference_type i) const {
        return (T)(first + (T)i);
    }
    counting_iterator operator+(difference_type i) const {
        return counting_iterator((T)(first + (T)i));
    }
    counting_iterator &operator++() {
        ++first;
        return *this;
    }
};

template <class T> counting_iterator<T> make_counting_iterator(T first) {
    return counting_iterator<T>(first);
}

} // namespace thrust

#endif
