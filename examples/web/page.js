// The page: trains the classifier, draws its curves, and answers drawn digits.
import { Adam, createModel, readSafetensors } from "./built/model.mjs";
import { Classifier, readDigits } from "./digits.js";

const element = (id) => document.getElementById(id);
const pad = element("pad").getContext("2d", { willReadFrequently: true });
const curve = element("curve").getContext("2d");
const history = [];

function drawCurves() {
  const { width, height } = curve.canvas;
  curve.clearRect(0, 0, width, height);
  const top = Math.max(...history.map((step) => step.loss));
  for (const [color, value] of [
    ["#c22", (step) => step.loss / top],
    ["#16a", (step) => step.accuracy],
  ]) {
    curve.strokeStyle = color;
    curve.beginPath();
    history.forEach((step, i) => {
      const x = (i / Math.max(1, history.length - 1)) * width;
      curve.lineTo(x, height - value(step) * (height - 4) - 2);
    });
    curve.stroke();
  }
}

function clearPad() {
  pad.fillStyle = "white";
  pad.fillRect(0, 0, pad.canvas.width, pad.canvas.height);
  element("answer").textContent = "";
}

// The drawing as 8 x 8 pixels: its frame fills the image, as the frames of the digits do.
export function drawnImage() {
  const { width, height } = pad.canvas;
  const pixels = pad.getImageData(0, 0, width, height).data;
  const ink = (x, y) => 1 - pixels[4 * (y * width + x)] / 255;
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      if (ink(x, y) < 0.5) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    }
  }
  const image = new Float32Array(64);
  if (right < 0) return image;
  const side = Math.max(bottom - top + 1, right - left + 1);
  const first = (left + right + 1 - side) / 2;
  const above = (top + bottom + 1 - side) / 2;
  for (let y = top; y <= bottom; ++y) {
    for (let x = left; x <= right; ++x) {
      const row = Math.floor(((y - above) / side) * 8);
      const column = Math.floor(((x - first) / side) * 8);
      image[row * 8 + column] += ink(x, y) * 1.5 * (64 / (side * side));
    }
  }
  return image.map((pixel) => Math.min(1, pixel));
}

function listenToPad(answer) {
  let last = null;
  const place = (event) => {
    const frame = pad.canvas.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  };
  pad.canvas.addEventListener("pointerdown", (event) => {
    last = place(event);
  });
  pad.canvas.addEventListener("pointermove", (event) => {
    if (!last) return;
    const next = place(event);
    pad.lineWidth = 26;
    pad.lineCap = "round";
    pad.strokeStyle = "black";
    pad.beginPath();
    pad.moveTo(...last);
    pad.lineTo(...next);
    pad.stroke();
    last = next;
  });
  addEventListener("pointerup", () => {
    if (last) answer();
    last = null;
  });
}

const nextFrame = () => new Promise((resolve) => setTimeout(resolve));

async function train(classifier, epochs) {
  element("train").disabled = true;
  for (let epoch = 1; epoch <= epochs; ++epoch) {
    for (const step of classifier.epoch()) history.push(step);
    drawCurves();
    const accuracy = classifier.testAccuracy();
    element("status").textContent =
      `Epoch ${epoch} of ${epochs}: accuracy on test digits ${(accuracy * 100).toFixed(1)} %.`;
    await nextFrame();
  }
  element("train").disabled = false;
}

async function start() {
  clearPad();
  const [model, weights, digits] = await Promise.all([
    createModel(),
    fetch("built/model.safetensors").then((response) => response.arrayBuffer()),
    fetch("built/digits.bin").then((response) => response.arrayBuffer()),
  ]);
  model.loadStateDict(readSafetensors(weights));
  const optimizer = new Adam(model, { learningRate: 0.003 });
  const classifier = new Classifier(model, optimizer, readDigits(digits));
  element("clear").addEventListener("click", clearPad);
  element("train").addEventListener("click", () => train(classifier, 12));
  listenToPad(() => {
    element("answer").textContent = `It is a ${classifier.answer(drawnImage())}.`;
  });
  await train(classifier, 12);
  return classifier;
}

export const ready = start();
ready.catch((error) => {
  element("status").textContent = error.message;
});
