import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebApp } from './web-app.ts';

interface Icon {
  readonly src: string;
  readonly sizes: string;
  readonly type: string;
  readonly purpose: string;
}

let app: WebApp;
beforeAll(async () => {
  app = await WebApp.start();
}, 60_000);
afterAll(() => app.close());

test('the app brings icons to be installed with, each of the type and size it says', { timeout: 60_000 }, async () => {
  const page = await app.open('/');
  const manifest = (await (await page.request.get(`${app.parley.url}/manifest.webmanifest`)).json()) as {
    icons: Icon[];
  };
  expect(manifest.icons.map(({ sizes, type, purpose }) => `${sizes} ${type} ${purpose}`)).toEqual([
    'any image/svg+xml any',
    '192x192 image/png any',
    '512x512 image/png any',
    '512x512 image/png maskable',
  ]);
  for (const { src, sizes, type, purpose } of manifest.icons) {
    const served = await page.request.get(app.parley.url + src);
    expect([src, served.status(), served.headers()['content-type']]).toEqual([src, 200, type]);
    if (type === 'image/svg+xml') continue;
    const { size, corner, middle } = await drawn(src);
    expect([src, size]).toEqual([src, sizes]);
    // A mask may cut anywhere outside of the middle: there has to be something everywhere.
    expect([src, corner]).toEqual([src, purpose === 'maskable' ? 255 : 0]);
    expect([src, middle]).toEqual([src, 255]);
  }
  expect(app.trouble).toEqual([]);

  /** How large it is, and how opaque. */
  function drawn(src: string): Promise<{ size: string; corner: number; middle: number }> {
    return page.evaluate(`(async () => {
      const image = new Image();
      image.src = ${JSON.stringify(src)};
      await image.decode();
      const { naturalWidth: width, naturalHeight: height } = image;
      const canvas = new OffscreenCanvas(width, height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      const opacity = (x, y) => canvas.getImageData(x, y, 1, 1).data[3];
      return { size: width + 'x' + height, corner: opacity(0, 0), middle: opacity(width / 2, height / 2) };
    })()`);
  }
});
