// Answers ROUNDTRIPS questions of asker with what they hold.
#include "bench/nats/connection.h"
#include "bench/support/arguments.h"

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE ROUNDTRIPS"};
  const std::uint64_t size = arguments.number(1);
  const std::uint64_t roundtrips = arguments.number(2);
  boost::asio::io_context context{1};
  bench::nats::connection server{context, bench::parse_endpoint(arguments.text(0))};
  server.subscribe("ask");
  for (std::uint64_t answered = 0; answered < roundtrips;) {
    const auto question = server.receive();
    server.publish(question.reply_to, question.payload);
    // An empty one asks whether this program is there.
    answered += question.payload.size() == size;
  }
  server.synchronize();
}
