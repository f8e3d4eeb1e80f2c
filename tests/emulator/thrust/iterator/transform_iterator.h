/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* An iterator over the results of a function for the elements of another iterator. */
#ifndef TRAWL_EMULATOR_TRANSFORM_ITERATOR_H
#define TRAWL_EMULATOR_TRANSFORM_ITERATOR_H

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace thrust {

template <class Function, class Base> struct transform_iterator {
    using reference = decltype(std::declval<Function>()(*std::declval<Base>()));
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::decay_t<reference>;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type *;

    Base base;
    Function function;
    transform_iterator(Base base_, Function function_) : base(base_), function(function_) {
    }
    reference operator*() const {
        return function(*base);
    }
    reference operator[](difference_type i) const {
        return function(base[i]);
    }
    transform_iterator operator+(difference_type i) const {
        return transform_iterator(base + i, function);
    }
    transform_iterator &operator++() {
        ++base;
        return *this;
    }
};

template <class Function, class Base>
transform_iterator<Function, Base> make_transform_iterator(Base base, Function function) {
    return transform_iterator<Function, Base>(base, function);
}

} // namespace thrust

#endif
