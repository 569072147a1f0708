#pragma once
// A value per thread that outlives the other objects of the thread.

namespace zmtp {

// Returns the T of the calling thread, value-initialized at first. The T is never destroyed. When
// the thread ends, an empty T is assigned to it. In the main thread, this happens before objects
// with static lifetime are destroyed. Values that their destructors put into the T remain until the
// process ends.
template <class T>
[[nodiscard]] T& thread_value() {
  union undestroyed {
    T value;
    undestroyed() : value{} {}
    ~undestroyed() {}
  };
  thread_local undestroyed own;
  struct emptying {
    ~emptying() { own.value = T{}; }
  };
  [[maybe_unused]] thread_local emptying at_end_of_thread;
  return own.value;
}

}  // namespace zmtp
