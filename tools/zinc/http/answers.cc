#include "tools/zinc/http/answers.h"

#include "tools/zinc/http/metrics_text.h"
#include "tools/zinc/http/page_files.h"
#include "tools/zinc/http/status_json.h"
#include "tools/zinc/version.h"

#include <boost/beast/http/field.hpp>

#include <chrono>
#include <utility>

namespace zinc::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace web = boost::beast::http;

namespace {

response made_of(operation_result&& result) {
  return result.status == 200
             ? made(200, {"application/json", std::move(result.text)})
             : made(result.status, {"text/plain; charset=utf-8", std::move(result.text) + "\n"});
}

}  // namespace

answers::answers(const asio::any_io_executor& executor, reporter of, operations of_operator,
                 const counters& counted)
    : reporter_{std::move(of)},
      operations_{std::move(of_operator)},
      counters_{counted},
      reports_{std::make_shared<pending<report>>(executor)},
      results_{std::make_shared<pending<operation_result>>(executor)} {}

void answers::stop() {
  reports_->stop();
  results_->stop();
}

asio::awaitable<void> answers::take_sample() {
  const auto now = co_await read(extent::totals);
  past_.add(std::chrono::steady_clock::now(), now);
}

std::string answers::history_text() const {
  return past_.as_json(std::chrono::steady_clock::now(), !operations_.token.empty());
}

asio::awaitable<response> answers::to(route where, const std::string& body) {
  const std::string plain = "text/plain; charset=utf-8";
  switch (where.what) {
    case resource::none: {
      auto answer = made(where.status, error_response(where.status));
      if (where.status == 405) {
        answer.set(web::field::allow, beast::string_view{where.allow.data(), where.allow.size()});
      }
      co_return answer;
    }
    case resource::list: {
      auto result = co_await list();
      co_return made_of(std::move(result));
    }
    case resource::change: {
      auto result = co_await change(body);
      co_return made_of(std::move(result));
    }
    case resource::live: co_return made(503, error_response(503));
    case resource::page: co_return made(200, {"text/html; charset=utf-8", std::string{page_html}});
    case resource::style: co_return made(200, {"text/css; charset=utf-8", std::string{page_css}});
    case resource::script:
      co_return made(200, {"text/javascript; charset=utf-8", std::string{page_js}});
    case resource::health: co_return made(200, {plain, "alive\n"});
    case resource::ready: {
      const auto now = co_await read(extent::totals);
      if (now.not_ready.empty()) {
        co_return made(200, {plain, "ready\n"});
      }
      auto answer = made(503, {plain, "not ready: " + now.not_ready + "\n"});
      co_return answer;
    }
    case resource::metrics: {
      const auto now = co_await collect(extent::everything);
      auto text = metrics_text(now, version);
      co_return made(200, {std::string{metrics_content_type}, std::move(text)});
    }
    case resource::status: {
      const auto now = co_await collect(extent::peers);
      auto text = status_json(now, version);
      co_return made(200, {"application/json", std::move(text)});
    }
  }
  co_return made(404, error_response(404));
}

// Plain functions; see pending::next().
asio::awaitable<report> answers::read(extent wanted) {
  return reports_->next([this, wanted](auto take) { reporter_(wanted, std::move(take)); });
}
asio::awaitable<operation_result> answers::list() { return results_->next(operations_.list); }
asio::awaitable<operation_result> answers::change(const std::string& id) {
  return results_->next([this, id](auto take) { operations_.change(id, std::move(take)); });
}

asio::awaitable<std::string> answers::status() {
  const auto now = co_await collect(extent::everything);
  co_return status_json(now, version);
}

asio::awaitable<report> answers::collect(extent wanted) {
  auto now = co_await read(wanted);
  now.records.push_back(figures_of(counters_));
  co_return now;
}

}  // namespace zinc::http
