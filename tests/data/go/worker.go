package worker

import "time"

// Poll fragt höflich nach.
func (w *worker) Poll() {
	const text = "ü" + "ö"
	w.interval, w.name = 90*time.Second, "größe\t\"x\""
	w.limits["burst"] = 20
	w.total += 5
	for i := 0; i < 3; i++ {
		time.Sleep(200 * time.Millisecond); time.Sleep(1 * time.Second)
	}
	x := `C:\raw
zwei`
	y := []time.Duration{time.Second, 2 * time.Second}
	tests := []struct {
		name string
		want time.Duration
	}{{"a", 1}, {name: "b", want: 30 * time.Second}, {want: 5}}
	_, _, _ = x, y, tests
}

func (worker) Stop() { time.AfterFunc(1*time.Hour+30*time.Minute, nil) }
