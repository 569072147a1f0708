#pragma once
// A value of each thread that outlives the other objects of the thread.

namespace zmtp {

// Returns the T of the calling thread, value-initialized at first. It never is a destroyed object: when the
// thread ends, the T is assigned an empty one. The main thread ends before objects with static lifetime are
// destroyed. Values that their destructors put into the T stay until the process ends.
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
