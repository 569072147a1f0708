#include "zmtp/blocking/poll.h"
#include "zmtp/blocking/socket.h"

#include <array>
#include <iostream>
#include <string>

using zmtp::blocking::poll_item;

// task_worker TASKS RESULTS CONTROL
int main(int, char** argv) {
  zmtp::socket_options options;
  options.receive_mark.messages = 10;
  options.linger = std::chrono::seconds{1};

  zmtp::blocking::context context;
  zmtp::blocking::pull_socket tasks{context, options};
  zmtp::blocking::push_socket results{context, options};
  zmtp::blocking::sub_socket control{context};
  control.subscribe("stop");
  tasks.connect(argv[1]);
  results.connect(argv[2]);
  std::cout << control.bind(argv[3]).to_string() << std::endl;

  std::array items{poll_item{tasks, poll_item::wants::to_receive},
                   poll_item{control, poll_item::wants::to_receive}};
  for (;;) {
    zmtp::blocking::poll(items);
    if (zmtp::message stop; control.try_receive(stop)) {
      break;
    }
    if (zmtp::message task; tasks.try_receive(task)) {
      results.send({task[0], std::to_string(task[1].size())});
    }
  }
}
