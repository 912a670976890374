#include "apps/session/control/session_parts.h"

#include "agents/builtin/builtin.h"
#include "apps/session/collect/packager.h"
#include "apps/session/control/redact_commands.h"
#include "artifacts/write/staging.h"
#include "base/digest.h"
#include "memory/store/reader.h"

namespace session {

SessionGround::SessionGround(const std::string& root, const executors::Backend& place, const std::string& config)
    : home{root}, backend(place), config_path(config), redact(redactor_for(config)) {}

SessionParts::SessionParts(const std::string& root, HomeLock held, kernel::Observer& watching,
                           const executors::Backend& place, const std::string& config)
    : SessionGround(root, place, config),
      lock(std::move(held)),
      watcher(watching),
      store(home.root),
      timed_store(store, meters),
      blobs(home.blobs()),
      remover(home, backend),
      collector(home, backend, blobs, inbox, redact),
      executor(backend.executor({[this](const kernel::JobStarted& started) {
                                   inbox.post(kernel::Command{
                                       kernel::run_study(started.run), kernel::kernel_actor,
                                       kernel::ReportStart{kernel::run_number(started.run), started.token}});
                                 },
                                 [this](const kernel::JobOutcome& outcome) { collector.collect(outcome); },
                                 [this](const std::string& launch) { inbox.post(kernel::DevicesFreed{launch}); },
                                 [this](const std::string& why) {
                                   watcher.executor_waits(why);
                                   if (notifier && !why.empty()) notifier->jobs_wait(why);
                                 },
                                 [this](kernel::Reason why) { inbox.post(kernel::DevicesHeld{std::move(why)}); }})),
      machine(backend.machine()),
      next_number(store.next_study_number()),
      roles(config, root, blobs),
      thinker({inbox, [this](const agents::ModelQuery& query) { return roles.assigned_model(query); },
               [this](std::string_view bytes) { return blobs.put(bytes, memory::Blobs::Durable::later); },
               [this](const std::string& sha256) { return blobs.get(sha256); },
               [this](const kernel::WorkspaceHash& workspace) { return frozen_files(blobs, workspace); },
               [this](const kernel::WorkspaceRecord& base, const agents::Changes& changes) {
                 return frozen_anew(blobs, home.workspaces(), base, changes);
               },
               [this](const kernel::RecallQuery& query) { return memory::Reader(home.root).recall(query); },
               [this](const std::string& study, const std::string& line, std::string_view text) {
                 feed.say(study, line, text);
               },
               [this] { blobs.sync(); }, [this](std::string_view text) { return redact(text); }}),
      loop({timed_store, *executor, clock, *this, inbox, home.places(), machine,
            [this](kernel::Role role, const kernel::Study& study) -> kernel::RoleAnswer {
              // A reproduction needs no model, because its decisions are recorded.
              if (study.spec.agents == "builtin" || !study.reproduces.empty()) return agents::builtin_turn(role, study);
              return thinker.turn(role, study);
            },
            [this](const kernel::Study& study) { begin_packaging(study); }, [] { return kernel::random_token(16); },
            [] { return kernel::Draw(kernel::random_token(16)); },
            [this](const std::string& key) { return store.remembered(key); }}) {
  store.when_full(
      [this](const memory::StoreFault& fault) { inbox.post(kernel::DiskFull{*no_room(fault, home.root)}); });
}

SessionParts::~SessionParts() {
  for (std::thread& packager : packagers) packager.join();
}

void SessionParts::memory_is_short(const kernel::MemoryShortage& shortage) {
  if (awaited.contains(shortage.study)) watcher.memory_is_short(shortage);
}

void SessionParts::committed(const kernel::Event& event, const kernel::State& state) {
  meters.committed(event, *state.study(event.study));
  if (notifier) notifier->committed(event, *state.study(event.study));
  if (const auto* ended = std::get_if<kernel::RunEnded>(&event.body)) {
    const kernel::Study& study = *state.study(event.study);
    remover.discard(study, *study.run(ended->run));
  }
  if (const auto* amended = std::get_if<kernel::WorkspaceAmended>(&event.body); amended && amended->setup) {
    const kernel::Study& study = *state.study(event.study);
    collector.know(study.id, study.spec, amended->setup->workspace, study.sealed);
  }
  // The present replies of its agents are no longer needed.
  const bool other_code =
      std::holds_alternative<kernel::WorkspaceAmended>(event.body) && kernel::is_person(event.actor);
  const bool ends = std::holds_alternative<kernel::CancellationRequested>(event.body) ||
                    std::holds_alternative<kernel::StudyConcluded>(event.body);
  if (other_code || ends) thinker.let_go(event.study, ends);
  if (room) {
    const auto* paused = std::get_if<kernel::StudyPaused>(&event.body);
    if (paused && paused->reason == kernel::PauseReason::disk)
      room->paused(event.study, disks_of(*state.study(event.study)));
    else if (std::holds_alternative<kernel::StudyResumed>(event.body) || ends)
      room->goes_on(event.study);
  }
  // Only awaited studies are shown; clients watch their own.
  if (awaited.contains(event.study)) watcher.committed(event, state);
  feed.advance();
}

void SessionParts::refused(const kernel::Command& command, const std::string& reason) {
  if (awaited.contains(command.study)) watcher.refused(command, reason);
}

std::vector<std::string> SessionParts::disks_of(const kernel::Study& study) const {
  std::vector<std::string> folders{home.root, study.output};
  if (std::string shared = backend.shared_folder(); !shared.empty()) folders.push_back(std::move(shared));
  return folders;
}

void SessionParts::hold(const std::string& study) {
  const std::lock_guard guard(in_hand_mutex);
  in_hand.insert(study);
}

kernel::ReportPictures SessionParts::drawn_pictures(const std::string& study) {
  FoldedStudy folded;
  kernel::ReportPictures pictures = draw_pictures(home, study, folded);
  if (!pictures.secrets.empty()) return pictures;  // A person decides first, which may take days.
  const std::lock_guard guard(drawn_mutex);
  drawn.insert_or_assign(study, std::move(folded));
  return pictures;
}

FoldedStudy SessionParts::take_drawn(const std::string& study) {
  const std::lock_guard guard(drawn_mutex);
  auto found = drawn.extract(study);
  return found ? std::move(found.mapped()) : FoldedStudy{};
}

void SessionParts::begin_packaging(const kernel::Study& study) {
  const bool has_pictures = study.pictures.has_value() || !study.sealed_head.empty();
  packagers.emplace_back([this, id = study.id, head = study.sealed_head, output = study.output, has_pictures] {
    kernel::ReportPackage report;
    try {
      if (!has_pictures) return inbox.post(kernel::Command{id, kernel::kernel_actor, drawn_pictures(id)});
      auto packaged = package_study(home, id, head, output, take_drawn(id));
      if (packaged)
        report = std::move(*packaged);
      else
        report.failure = packaged.problem().reason;
    } catch (const artifacts::PackagingFault& fault) {
      report.failure = fault.reason;
    } catch (const std::exception& e) {
      const auto full = no_room(e, output);
      report.no_room = full.has_value();
      report.failure = full.value_or(kernel::Reason{kernel::ReasonCode::exception_thrown, {{"error", e.what()}}});
    }
    inbox.post(kernel::Command{id, kernel::kernel_actor, std::move(report)});
  });
}

}  // namespace session
