#pragma once
// How often what goes wrong goes wrong in one simulation. Shares lie between 0 and 1.

namespace sim {

struct Rates {
  // Jobs.
  double refused = 0;      ///< The launch fails.
  double no_room = 0;      ///< The disk of the run folders is full.
  double vanishes = 0;     ///< The supervisor is killed.
  double fails = 0;        ///< The job fails, each time in one of a few ways.
  double asks_again = 0;   ///< Exit 75.
  double twice = 0;        ///< The end is reported twice.
  double slow_device = 0;  ///< The memory of a device is free only later.
  int duration = 12;       ///< Jobs take up to 2^duration ms.
  // Models.
  double model_fails = 0;
  double reply_twice = 0;
  int latency = 11;
  // The kernel.
  int deaths = 0;          ///< At most.
  int death_points = 400;  ///< A kernel dies after at most so many steps.
  double power_cut = 0;    ///< A death is that of the whole machine.
  double full = 0;         ///< A commit finds the disk full.
  // The world.
  int acts = 0;           ///< What people do beyond what a study waits for.
  double clock_jump = 0;  ///< An act sets the wall clock.
  double no_package = 0;  ///< An artifact cannot be written.
};

}  // namespace sim
