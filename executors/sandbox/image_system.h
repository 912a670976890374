#pragma once
// The system of an image in a sandbox: the bubblewrap arguments that show the image's files in place of this machine's.
// Reads the names of entries only, and changes nothing in the image.

#include <string>
#include <vector>

namespace executors {

/// Entries of /etc of this machine that a job with a network sees.
inline constexpr const char* etc_for_network[] = {"resolv.conf", "hosts", "gai.conf", "host.conf"};

/// Everything of the image but /proc, /sys, /dev, /tmp and /etude, read-only. Files of /etc that a sandbox writes
/// itself, such as passwd, are left out. `folder`: absolute.
std::vector<std::string> words_of_image(const std::string& folder, bool network);

/// /var/tmp of the image is a folder, which a mount can cover.
bool has_var_tmp(const std::string& folder);
/// The image has no /var, so that one can be made.
bool makes_var_tmp(const std::string& folder);

/// Where a job in an image finds the libraries of the GPUs' driver, which belong to this machine's kernel.
inline constexpr char driver_folder[] = "/etude/driver";
/// Shows them there. `root`: prefix of the machine's folders.
std::vector<std::string> words_of_driver(const std::string& root = "");

}  // namespace executors
