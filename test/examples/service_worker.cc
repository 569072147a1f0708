#include "mdp/blocking/worker.h"

int main(int, char** argv) {
  zmtp::blocking::context context;
  mdp::blocking::worker worker{context, argv[1], {.service = "greet"}};
  for (;;) {
    auto request = worker.receive();
    request.reply({"hello", request.body().front()});
  }
}
