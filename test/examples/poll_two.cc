#include "zmtp/blocking/poll.h"
#include "zmtp/blocking/socket.h"

#include <array>
#include <iostream>

using zmtp::blocking::poll_item;

int main(int, char** argv) {
  zmtp::blocking::context context;
  zmtp::blocking::pull_socket jobs{context};
  zmtp::blocking::rep_socket questions{context};
  std::cout << jobs.bind(argv[1]).to_string() << std::endl;
  std::cout << questions.bind(argv[1]).to_string() << std::endl;
  std::array items{poll_item{jobs, poll_item::wants::to_receive},
                   poll_item{questions, poll_item::wants::to_receive}};
  zmtp::message job;
  int done = 0;
  while (zmtp::blocking::poll(items, std::chrono::seconds{5}) != 0) {
    while (jobs.try_receive(job)) {
      ++done;
    }
    if (zmtp::message question; questions.try_receive(question)) {
      questions.send({std::to_string(done)});
    }
  }
}
