#include "backends/torch/recording/recorder.hpp"

#include <algorithm>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/interrupt.hpp"

namespace mithril::torch_backend {

struct Recordings::Slot {
  explicit Slot(std::size_t saved) : policy(saved) {}

  ReplayPolicy policy;
  std::unique_ptr<Recording> recording = nullptr;
  std::string refusal = {};
  std::atomic<bool> retired{false};  // its recorder is gone
};

namespace {

using Lock = std::unique_lock<std::recursive_mutex>;

std::vector<Place> places_of(at::TensorList inputs) {
  std::vector<Place> places;
  for (const at::Tensor& input : inputs) {
    places.push_back({input.const_data_ptr(), input.strides().vec()});
  }
  return places;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Recordings::Recordings(RecordingDevice& device, std::string device_name,
                       std::shared_ptr<Meter> meter, std::size_t most)
    : device_(device),
      device_name_(std::move(device_name)),
      meter_(std::move(meter)),
      most_(most) {}

Recordings::~Recordings() {
  const Lock lock(device_.mutex);
  for (const SlotRef& slot : slots_) drop(*slot);
  slots_.clear();
  if (memory_) memory_->trim();
  memory_.reset();
  meter_->give(counted_);
}

std::size_t Recordings::size() {
  const Lock lock(device_.mutex);
  sweep();
  return slots_.size();
}

void Recordings::drop(Slot& slot) {
  slot.recording.reset();
  slot.policy.forget();
}

// Drops recordings of programs that are gone.
void Recordings::sweep() {
  std::erase_if(slots_, [&](const SlotRef& slot) {
    if (!slot->retired) return false;
    drop(*slot);
    return true;
  });
}

void Recordings::touch(const SlotRef& slot) {
  const auto at = std::find(slots_.begin(), slots_.end(), slot);
  if (at != slots_.end()) std::rotate(at, at + 1, slots_.end());
}

// Counts the memory that the device reserved for recordings as a whole: parts of it that no
// recording uses cannot be used for anything else.
bool Recordings::count() {
  const std::int64_t bytes = memory_ ? memory_->bytes() : 0, more = bytes - counted_;
  if (more > 0 && meter_->take(more)) return false;
  if (more < 0) meter_->give(-more);
  if (more != 0 && meter_->has_hooks()) {
    meter_->keep({device_name_, std::max<std::int64_t>(more, 0), std::max<std::int64_t>(-more, 0)});
  }
  counted_ = bytes;
  return true;
}

// An error may concern recording only: the plain run has succeeded before.
void Recordings::record(const SlotRef& slot, at::TensorList inputs, RecordedPorts ports,
                        const Run& plain) {
  const MeterScope unmetered(nullptr);  // the memory is counted as a whole
  // The plain run has written to its inputs, so the call must end. And an interrupt takes Python's
  // lock, whose holder may wait for the device.
  const InterruptsHeld uninterrupted;
  sweep();
  std::erase(slots_, slot);
  slot->recording.reset();  // its memory is free for the next one
  while (slots_.size() >= most_) {
    drop(*slots_.front());
    slots_.erase(slots_.begin());
  }
  if (slots_.empty() && memory_) {  // torch does not open a pool again that nothing refers to
    memory_->trim();
    memory_.reset();
  }
  try {
    if (!memory_) memory_ = device_.make_memory();
    slot->recording =
        std::make_unique<Recording>(device_, *memory_, inputs, std::move(ports), plain);
    slot->policy.keep(places_of(inputs));
    slots_.push_back(slot);
  } catch (const Error& error) {
    slot->refusal = error.details().message;
  } catch (const std::exception& error) {
    slot->refusal = first_line(error.what());
  }
  if (count()) return;
  slot->refusal = "recordings need more memory than memory_limit allows";
  for (const SlotRef& each : slots_) drop(*each);
  slots_.clear();
  memory_->trim();
  memory_.reset();
  count();
}

Recorder::Recorder(std::shared_ptr<Recordings> all, std::shared_ptr<RecordingCounts> counts,
                   std::size_t saved, std::size_t kept_from, std::vector<std::size_t> updated)
    : all_(std::move(all)),
      counts_(std::move(counts)),
      saved_(saved),
      kept_from_(kept_from),
      updated_(std::move(updated)),
      slot_(std::make_shared<Recordings::Slot>(saved)) {}

Recorder::~Recorder() {
  slot_->retired = true;
  const Lock lock(all_->device().mutex, std::try_to_lock);
  if (lock) all_->sweep();
}

std::vector<at::Tensor> Recorder::run(at::TensorList inputs, const Run& plain) {
  RecordingDevice& device = all_->device();
  if (device.is_captured()) return plain(inputs);
  using Action = ReplayPolicy::Action;
  Action action = Action::plain;
  {
    const Lock lock(device.mutex);
    if (slot_->refusal.empty()) action = slot_->policy.next(places_of(inputs));
    const Recording* recording = slot_->recording.get();
    if (action == Action::replay && recording && !recording->is_held()) {
      all_->touch(slot_);
      ++counts_->replayed;
      return slot_->recording->replay(inputs);
    }
  }
  // In this thread and outside of the capture, so that libraries initialise themselves for it.
  std::vector<at::Tensor> made = plain(inputs);
  const Lock lock(device.mutex);
  // Results of the forward half are free for its next replay after this run.
  if (saved_ > 0) device.finish();
  if (action != Action::record || !slot_->refusal.empty()) return made;
  all_->record(slot_, inputs, {slot_->policy.copied(), kept_from_, updated_}, plain);
  if (slot_->recording) ++counts_->recorded;
  return made;
}

std::string Recorder::refusal() const {
  const Lock lock(all_->device().mutex);
  return slot_->refusal;
}

}  // namespace mithril::torch_backend
