// Einstellungen für den Test — „Zeiten“ in ms
import { defineConfig } from 'vitest/config';

const größe = 10 /* ü */, wartezeit = '2.5s'; // 😀
export default defineConfig(({ mode }) => ({
  server: { hmr: { timeout: 30000 }, proxy: { '/api': { target: 'http://localhost:8080', timeout: 60000, proxyTimeout: 0 } } },
  test: {
    testTimeout: mode === 'ci' ? 20000 : 5000,
    hookTimeout: (10_000),
    /* slow */ teardownTimeout: 1000 /* ms */ * 3,
    name: `größe`,
    banner: `a
b`,
    retry: größe / 4,
    'tür.zeit': wartezeit,
    pattern: /\d+s/,
    half: "\ud83d",
    whole: "\ud83d\ude00 \u{1f600} \
end",
  },
}));
