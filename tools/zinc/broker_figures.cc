#include "tools/zinc/broker_figures.h"

#include "mdp/broker_report.h"
#include "tools/zinc/printable.h"

namespace zinc {

zmtp::figure_record record_of(const mdp::broker_status& of, const std::string& endpoint) {
  return {.group = "broker",
          .labels = {{"endpoint", endpoint}},
          .samples = zmtp::samples_of(mdp::broker_figures(), of)};
}

zmtp::figure_record record_of(const mdp::service_status& of, const std::string& endpoint) {
  return {.group = "service",
          .labels = {{"endpoint", endpoint}, {"service", printable(of.name)}},
          .samples = zmtp::samples_of(mdp::service_figures(), of)};
}

zmtp::figure_record record_of(const mdp::worker_status& of, const std::string& endpoint) {
  return {.group = "worker",
          .labels = {{"endpoint", endpoint},
                     {"worker", mdp::text_of(of.peer)},
                     {"service", printable(of.service)}},
          .samples = zmtp::samples_of(mdp::worker_figures(), of)};
}

zmtp::figure_record record_of(const mdp::client_status& of, const std::string& endpoint) {
  return {.group = "client",
          .labels = {{"endpoint", endpoint}, {"client", mdp::text_of(of.peer)}},
          .samples = zmtp::samples_of(mdp::client_figures(), of)};
}

}  // namespace zinc
