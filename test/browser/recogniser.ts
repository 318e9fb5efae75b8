/** Runs in the page: a recogniser on the device that hears what the test says. */
export const FAKE_RECOGNISER = `
let current = null;
globalThis.SpeechRecognition = class extends EventTarget {
  static available = async () => 'available';
  start() { current = this; }
  stop() { this.dispatchEvent(new Event('end')); }
  abort() { this.dispatchEvent(new Event('end')); }
};
globalThis.hears = (transcript, isFinal) => current.dispatchEvent(Object.assign(new Event('result'), {
  resultIndex: 0, results: [Object.assign([{ transcript }], { isFinal })],
}));
globalThis.fails = (error) => {
  current.dispatchEvent(Object.assign(new Event('error'), { error }));
  current.dispatchEvent(new Event('end'));
};`;
