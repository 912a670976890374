#pragma once
// A client of the kernel that owns a home: calls over HOME/kernel.sock. One thread at a time, except for `stop`.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace server {

class KernelClient {
 public:
  /// `patience_s`: how long an answer is waited for. A command waits for the kernel's present work, and a new study for
  /// its workspace.
  explicit KernelClient(const std::string& home, int patience_s = 60);
  ~KernelClient();

  struct Reply {
    int status = 0;
    nlohmann::json body;
    bool ok() const { return status >= 200 && status < 300; }
  };
  /// None if no kernel answers. `path` is below /api/v1.
  std::optional<Reply> get(const std::string& path);
  std::optional<Reply> post(const std::string& path, const nlohmann::json& body);

  /// The same of a server on TCP without TLS, such as "http://127.0.0.1:7717". `token`: of its home.
  static std::optional<Reply> post_to(const std::string& address, const std::string& token, const std::string& path,
                                      const nlohmann::json& body);

  using Said = std::function<void(const std::string& line, const std::string& text)>;
  /// Calls `news` whenever there may be events beyond `after`, until it returns false or the owner leaves. `said` gets
  /// the text that models write in the study's conversations; it may be empty.
  void follow(const std::string& study, std::int64_t after, const std::function<bool()>& news, const Said& said = {});
  using SaidIn = std::function<void(const std::string& study, const std::string& line, const std::string& text)>;
  /// The same for all studies.
  void follow_all(std::int64_t after, const std::function<bool()>& news, const SaidIn& said);
  /// Ends `follow`; from any thread.
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace server
