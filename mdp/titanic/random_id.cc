#include "mdp/titanic/random_id.h"

#include <span>

namespace mdp::titanic {

request_id random_id(zmtp::runtime& of) {
  request_id id;
  of.random(std::as_writable_bytes(std::span{id.bytes}));
  return id;
}

}  // namespace mdp::titanic
