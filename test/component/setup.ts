import type {} from '@vitest/browser-playwright';
import '../../web/styles/app.css';
