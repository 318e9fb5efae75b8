import { language } from '../../i18n/text.ts';

/** Reads words with the device's own voice; a second time stops it. */
export function readAloud(text: string): void {
  const { speechSynthesis } = window;
  if (speechSynthesis.speaking) {
    speechSynthesis.cancel();
    return;
  }
  const utterance = new SpeechSynthesisUtterance(text.replace(/```[\s\S]*?```/g, '').slice(0, 20_000));
  utterance.lang = language();
  speechSynthesis.speak(utterance);
}
