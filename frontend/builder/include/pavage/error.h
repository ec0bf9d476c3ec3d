// error.h: the one exception type of the public C++ headers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thrown from inline header code only, never across a library border.
#ifndef PAVAGE_ERROR_H
#define PAVAGE_ERROR_H

#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace pavage {

// A place in an author's source; an empty file means that none is known.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;

  std::string str() const {
    std::string s = file.empty() ? std::string("<unknown>") : file;
    if (line > 0) {
      s += ":" + std::to_string(line);
    }
    if (line > 0 && column > 0) {
      s += ":" + std::to_string(column);
    }
    return s;
  }
};

// `FILE:LINE:COL: error PV0123: text`, then a line per note.
class Error : public std::exception {
public:
  struct Note {
    std::string text;
    Place place;
  };

  Error(int number, std::string text, Place place = {}, std::vector<Note> notes = {})
      : number_(number), text_(std::move(text)), place_(std::move(place)), notes_(std::move(notes)) {
    char tag[32];
    std::snprintf(tag, sizeof(tag), "error PV%04d: ", number_);
    what_ = (place_.file.empty() ? std::string() : place_.str() + ": ") + tag + text_;
    for (const Note &note : notes_) {
      what_ += "\n" + (note.place.file.empty() ? std::string() : note.place.str() + ": ") + "note: " + note.text;
    }
  }

  int number() const noexcept { return number_; }
  const std::string &text() const noexcept { return text_; }
  const Place &place() const noexcept { return place_; }
  const std::vector<Note> &notes() const noexcept { return notes_; }
  const char *what() const noexcept override { return what_.c_str(); }

private:
  int number_;
  std::string text_;
  Place place_;
  std::vector<Note> notes_;
  std::string what_;
};

} // namespace pavage

#endif // PAVAGE_ERROR_H
