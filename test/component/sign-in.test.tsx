import { expect, test } from 'vitest';
import SignInPage from '../../web/pages/sign-in/sign-in-page.tsx';
import { Fixture } from './fixture.tsx';

test('a sign-in link that is opened in the tab of the sign-in page is used, and its code leaves the address', async () => {
  const fixture = new Fixture({ 'POST /api/sign-ins': new Error('Used.') });
  const screen = await fixture.show(<SignInPage />);
  await expect.element(screen.getByRole('heading', { name: 'Sign in to Parley' })).toBeVisible();
  location.hash = '#code=abcdefghijkl';
  await expect
    .poll(() => fixture.asked)
    .toEqual([{ method: 'POST', path: '/api/sign-ins', body: { code: 'abcdefghijkl' } }]);
  expect(location.hash).toBe('');
});
