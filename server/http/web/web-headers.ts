/** Nothing from anywhere else, no inline script or style, no frame around us, and no string becomes code. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types app-worker',
].join('; ');

const PERMISSIONS = ['microphone=(self)', 'on-device-speech-recognition=(self)', 'camera=()', 'geolocation=()'].join(
  ', ',
);

/** On every page and every file of the web app, besides what every answer carries. */
export const WEB_HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': PERMISSIONS,
} as const;
