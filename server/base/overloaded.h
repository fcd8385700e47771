// Makes one visitor of several lambdas, one for each alternative of a std::variant: std::visit(base::Overloaded{...},
// variant).
#pragma once

namespace band::base {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace band::base
