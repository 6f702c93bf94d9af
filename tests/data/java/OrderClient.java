package com.example.orders;

import java.net.http.HttpClient;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.*;

import okhttp3.OkHttpClient;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;

import static java.util.concurrent.TimeUnit.SECONDS;

/** Talks to the order service; „Größe“ is checked on the server. */
@RetryPolicy(maxAttempts = 3, backoff = 250L)
public class OrderClient implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final long KEEP_ALIVE_MS = 65 * 1000;
    static final int RETRIES = 3, PORT = 0x1F90;
    private static final long WEEK_MS = 7L * 24 * 3600 * 1000;
    private static final long OVERFLOWN_MS = 30 * 24 * 3600 * 1000;
    private static final long DRAIN_MS = TimeUnit.SECONDS.toMillis(30);
    private static final int PROBE_MS = (int) TimeUnit.SECONDS.toMillis(120);
    private static final Duration GRACE = Duration.parse("PT20S");
    private final String userAgent = "orders/2.1 (\u00fc \"x\")";

    @Value("${orders.read-timeout:30s}")
    private Duration readTimeout;

    @Value("15")
    private int poolSize;

    private final OkHttpClient http;
    private HttpClient fallback;
    private int attempts;

    public OrderClient(@Value("#{systemProperties.url}") String url) {
        this.http = new OkHttpClient.Builder()
                .connectTimeout(CONNECT_TIMEOUT)
                .readTimeout(10, TimeUnit.SECONDS)
                .writeTimeout(1_500, TimeUnit.MILLISECONDS) // per write
                .pingInterval(Duration.ofMillis(750))
                .callTimeout(Duration.of(1, ChronoUnit.MINUTES))
                .connectionPool(new ConnectionPool(5, KEEP_ALIVE_MS, TimeUnit.MILLISECONDS))
                .retryOnConnectionFailure(true)
                .build();
        fallback = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2L)).build();
        this.attempts = 2 * RETRIES;
        fallback.settings.soTimeout = -1;
    }

    @Transactional(timeout = 30, readOnly = true)
    public Order load(String id) throws InterruptedException {
        final int tries = 4;
        RequestConfig config = RequestConfig.custom()
                .setConnectTimeout(5000)
                .setSocketTimeout((int) Duration.ofSeconds(20).toMillis())
                .setConnectionRequestTimeout(tries * 500)
                .build();
        for (int i = 0; i < tries; i++) {
            Thread.sleep(100);
            Thread.sleep(100 + 50);
            TimeUnit.SECONDS.sleep(1);
        }
        var query = """
            select * from orders
            where timeout > 5""";
        Duration left = Duration.ofSeconds(tries).minus(Duration.ofMillis(elapsed(1)));
        Duration open = attempts > 3 ? Duration.ofSeconds(7) : Duration.ZERO;
        props.put("request.timeout.ms", "30000");
        char unit = 's';
        double ratio = 1.5;
        return fetch(id, config, Duration.ofDays(0), left, open, query, unit, ratio);
    }

    @Scheduled(fixedDelay = 15, initialDelay = 5, timeUnit = TimeUnit.SECONDS)
    void poll() {
        executor.scheduleAtFixedRate(() -> refresh(3), 0, 45, SECONDS);
        executor.schedule(new Runnable() {
            private static final int BATCH = 50;

            @Override
            public void run() {
                refresh(BATCH);
                client.setTimeout(CONNECT_TIMEOUT.toMillis());
            }
        }, 90, TimeUnit.SECONDS);
    }

    static Duration drain() {
        return Duration.ofMinutes(1);
    }

    enum Tier {
        GOLD(Duration.ofSeconds(1), 5), SILVER(Duration.ofSeconds(3), 2);

        Tier(Duration timeout, int retries) {
            this(timeout.plusSeconds(0), retries, "x");
        }
    }

    interface Defaults {
        int TIMEOUT_SECONDS = 010;
        Duration IDLE = java.time.Duration.ofSeconds(TIMEOUT_SECONDS);
    }
}
