import React, { useEffect } from 'react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';

const client = new QueryClient({
  defaultOptions: { queries: { staleTime: 30_000, gcTime: 5 * 60 * 1000, retry: 2, retryDelay: (n) => Math.min(1000 * 2 ** n, 30000) } },
});

export function Poller({ interval = 5000, label = "Grüße" }) {
  useEffect(() => {
    const timer = setInterval(refresh, interval);
    return () => clearInterval(timer);
  }, [interval]);
  return (
    <Suspense fallback={<Spinner delay={200} />}>
      {/* ms */}
      <Toast timeout={3 * 1000} title="5s" render={() => <Inner wait={150}>text and more</Inner>} />
      <Toast timeout={9000} {...{ grace: 50 }} />
    </Suspense>
  );
}
