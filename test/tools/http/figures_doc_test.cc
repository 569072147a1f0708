// docs/http.md has a table of all figures.
#include "mdp/broker_report.h"
#include "mdp/titanic/titanic_report.h"
#include "tools/zinc/bstar_figures.h"
#include "tools/zinc/chp_figures.h"
#include "tools/zinc/http/counters.h"
#include "tools/zinc/http/metrics_text.h"
#include "tools/zinc/proxy_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace zinc {
namespace {

class table {
public:
  template <class Status>
  void add(std::string_view group, std::span<const zmtp::figure_of<Status>> figures) {
    for (const auto& each : figures) {
      add(group, each.what);
    }
  }
  void add(std::string_view group, const zmtp::figure& of) {
    EXPECT_TRUE(keys_.emplace(group, of.key).second) << group << ' ' << of.key;
    EXPECT_FALSE(of.help.empty() || of.help.ends_with('.')) << of.key;
    rows_.push_back("| `" + http::metric_name(group, of) + "` | " +
                    std::string{http::metric_type(of.is)} + " | " + std::string{of.help} + " |");
  }
  [[nodiscard]] const std::vector<std::string>& rows() const { return rows_; }

private:
  std::set<std::pair<std::string, std::string>> keys_;
  std::vector<std::string> rows_;
};

table all_figures() {
  table all;
  all.add("broker", mdp::broker_figures());
  all.add("service", mdp::service_figures());
  all.add("titanic", mdp::titanic::titanic_figures());
  all.add("titanic_service", mdp::titanic::titanic_service_figures());
  all.add("chp", chp_figures());
  all.add("bstar", bstar_figures());
  all.add("proxy", proxy_figures());
  all.add("cache", cache_figures());
  for (const auto& each : http::figures_of(http::counters{}).samples) {
    all.add("http", *each.what);
  }
  return all;
}

TEST(figures_doc, table_has_each_figure_and_no_other) {
  std::ifstream file{"docs/http.md"};
  ASSERT_TRUE(file);
  std::vector<std::string> found;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `zinc_")) {
      found.push_back(line);
    }
  }
  const auto all = all_figures();
  std::string expected;
  for (const auto& row : all.rows()) {
    expected += row + '\n';
  }
  EXPECT_EQ(found, all.rows()) << "the table must be:\n" << expected;
}

}  // namespace
}  // namespace zinc
