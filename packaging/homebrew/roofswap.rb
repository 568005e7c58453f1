class Roofswap < Formula
  desc "What if this kernel ran on that GPU instead? Rooflines, occupancy, times"
  homepage "https://github.com/OWNER/roofswap"
  url "https://github.com/OWNER/roofswap/archive/refs/tags/v0.2.0.tar.gz"
  sha256 "SHA256"
  license any_of: ["MIT", "Apache-2.0"]
  head "https://github.com/OWNER/roofswap.git", branch: "main"

  depends_on "rust" => :build

  def install
    # macOS has no NVIDIA driver: `probe` and `measure` say that they were left out.
    args = std_cargo_args(path: "app")
    args << "--no-default-features" if OS.mac?
    system "cargo", "install", *args
    system bin/"roofswap", "man", "--all", buildpath/"man"
    man1.install Dir[buildpath/"man/*.1"]
    generate_completions_from_executable(bin/"roofswap", "completions")
  end

  test do
    assert_match "rtx-4070", shell_output("#{bin}/roofswap gpus")
    answer = shell_output("#{bin}/roofswap predict --from titan-v --to rtx-4070 --kernel saxpy --format json")
    assert_match "time_ms", answer
  end
end
