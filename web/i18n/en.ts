/** Every word the app says. Other languages have exactly these keys; `{name}` is filled in. */
export const en = {
  'app.name': 'Parley',
  'app.loading': 'Loading…',
  'app.offline': 'Parley cannot be reached. What you send is kept and goes out when it is back.',
  'app.stopping': 'Parley is stopping. The page goes on by itself when it is back.',
  'app.signedOut': 'This browser is not signed in.',
  'nav.dashboard': 'Dashboard',
  'nav.search': 'Search',
  'nav.settings': 'Settings',
  'nav.sessions': 'Sessions',
  'nav.details': 'Details',
  'nav.skip': 'Skip to the conversation',
  'status.idle': 'Idle',
  'status.connecting': 'Connecting',
  'status.active': 'Ready',
  'status.working': 'Working',
  'status.waiting': 'Waiting for you',
  'status.completed': 'Completed',
  'status.error': 'Failed',
  'status.paused': 'Paused',
  'error.unknown': 'Something went wrong. Try again.',
  'error.retry': 'Try again',
  'action.cancel': 'Cancel',
  'action.close': 'Close',
  'action.undo': 'Undo',
  'time.now': 'now',
} as const;

export type TextKey = keyof typeof en;
export type Catalogue = Readonly<Record<TextKey, string>>;
