// Runs every test. Ends with a line `FAILED file:line: NAME` for each test case that failed, a line
// `N skipped: REASON` for each reason, and the line `N passed, N failed`, in which generated cases
// count, too.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tests/results.hpp"

namespace {

unsigned test_cases_passed = 0;
unsigned test_cases_failed = 0;
unsigned test_cases_skipped = 0;  // wholly
std::vector<std::string> failures;

std::size_t skips() {
  std::size_t count = 0;
  for (const auto& [reason, times] : mithril::tests::skipped_results) count += times;
  return count;
}

// The class only counts: doctest prints the usual report.
struct Counter : doctest::IReporter {
  explicit Counter(const doctest::ContextOptions&) {}

  void test_run_end(const doctest::TestRunStats& stats) override {
    test_cases_passed =
        stats.numTestCasesPassingFilters - stats.numTestCasesFailed - test_cases_skipped;
    test_cases_failed = stats.numTestCasesFailed;
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData& test_case) override {
    skips_before_ = skips();
    name_ = std::string(test_case.m_file.c_str()) + ":" + std::to_string(test_case.m_line) + ": " +
            test_case.m_name;
  }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    if (!stats.testCaseSuccess) failures.push_back(name_);
    test_cases_skipped += skips() > skips_before_ && stats.numAssertsCurrentTest == 0;
  }
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  std::size_t skips_before_ = 0;
  std::string name_;
};

REGISTER_LISTENER("counter", 1, Counter);

}  // namespace

int main(int argument_count, char** arguments) {
  doctest::Context context(argument_count, arguments);
  const int status = context.run();
  if (context.shouldExit()) return status;

  for (const std::string& name : failures) std::printf("FAILED %s\n", name.c_str());
  for (const auto& [reason, times] : mithril::tests::skipped_results)
    std::printf("%zu skipped: %s\n", times, reason.c_str());
  const auto& table = mithril::tests::table_results;
  std::printf("%zu passed, %zu failed\n", test_cases_passed + table.passed,
              test_cases_failed + table.failed);
  return table.failed > 0 ? 1 : status;
}
