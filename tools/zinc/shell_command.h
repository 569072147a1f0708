#pragma once
// Runs a shell command with given input and takes its output, while the context goes on.

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <string>

namespace zinc {

// The command leads a process group of its own. If the context ends before the command, the group gets SIGTERM.
// If only this process ends, the shell gets SIGTERM.
// `on_done` gets the error of starting it, else the exit status as of waitpid(2) and the output.
using shell_handler =
    std::function<void(boost::system::error_code, int status, std::string output)>;
void run_shell_command(const boost::asio::any_io_executor& executor, const std::string& command,
                       std::string input, shell_handler on_done);

}  // namespace zinc
