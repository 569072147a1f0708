#pragma once
// The things that an operator can list and change over HTTP.

#include <functional>
#include <string>

namespace zinc::http {

struct operation_result {
  unsigned status = 200;
  std::string text{};  // JSON with 200, otherwise the reason
};

// The handlers run in the server's executor. Each one calls its last argument once, in the call or
// later.
struct operations {
  using take_result = std::function<void(operation_result)>;

  std::string token{};  // proves that a request is from an operator; empty: there are no operations
  std::function<void(take_result)> list{};
  std::function<void(std::string id, take_result)> change{};
};

}  // namespace zinc::http
