! A stencil: each step reads three values and writes one. Compiled by TestNativeLanguages.
module grid
  implicit none
  integer, parameter :: n = 1000
  real(8) :: a(n), b(n)
contains
  subroutine step()
    integer :: i
    do i = 2, n - 1
      b(i) = (a(i - 1) + a(i) + a(i + 1)) / 3
    end do
  end subroutine
end module

program stencil
  use grid
  implicit none
  integer :: i
  do i = 1, n
    a(i) = mod(i, 7)
  end do
  do i = 1, 4
    call step()
    a(2:n - 1) = b(2:n - 1)
  end do
  print '(f12.8)', sum(a)
end program
